const HEAD = `# The rules of deploy/observability/alerts.yml for the Prometheus operator. Written by "npm run kubernetes-rules".
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: teaching
  labels: { app.kubernetes.io/name: teaching, app.kubernetes.io/part-of: teaching }
spec:
`;

/** A PrometheusRule with the groups of a file of rules. */
export const rulesManifest = (rules: string): string => HEAD + rules.replaceAll(/^(?=.)/gm, '  ');
