const LOOPBACK = /^(127\.[\d.]+|localhost|::1)$/;

/** Whether all addresses of NATS_URL are on this machine, so that the broker is one for trials. */
export const isOnThisMachine = (natsUrl: string): boolean =>
  natsUrl.split(',').every((address) => {
    const url = address.trim();
    const { hostname } = new URL(url.includes('://') ? url : `nats://${url}`);
    return LOOPBACK.test(hostname.replaceAll(/[[\]]/g, ''));
  });
