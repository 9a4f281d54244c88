# One image for the gateway, the services and the migration; the command says which.
# No build step: Node runs the TypeScript sources.
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY libs/client/package.json libs/client/
COPY libs/contracts/package.json libs/contracts/
COPY libs/kit/package.json libs/kit/
COPY services/gateway/package.json services/gateway/
COPY services/clazz/package.json services/clazz/
COPY services/course/package.json services/course/
COPY services/package/package.json services/package/
COPY services/stats/package.json services/stats/
# The root's own packages are for the local runner and the checks; no package needs its install script.
# Not `npm ci`: it refuses a lock without the optional packages of platforms that a registry does not carry.
RUN npm install --workspaces --include-workspace-root=false --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-slim
# One arena of memory for each thread would keep what its busiest moment needed.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=packages /app ./
COPY libs/contracts libs/contracts/
COPY libs/kit libs/kit/
COPY services services/
COPY tools/health.ts tools/migrate.ts tools/
COPY tools/migrate/carry-over.ts tools/migrate/config.ts tools/migrate/provision.ts tools/migrate/
COPY tools/streams/prepare.ts tools/streams/
USER node
# Where the gateway serves, and where a service says how it is.
EXPOSE 8080 8081
# Each process is asked itself, by HTTP.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["node", "tools/health.ts"]
CMD ["node", "services/gateway/src/main.ts"]
