# The service without the embedded PostgreSQL. It requires DATABASE_URL.
# `docker buildx imagetools inspect node:24-bookworm-slim` prints the digest of the newest base.
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY nest-cli.json tsconfig.json .swcrc ormconfig.ts ./
COPY migrations migrations
COPY src src
COPY client/src client/src
COPY console console
RUN npm run build
RUN npm ci --ignore-scripts --omit=dev --omit=optional && \
  find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' \) -delete

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ENV NODE_ENV=production
WORKDIR /app
COPY package.json LICENSE ./
COPY docs/*.md docs/
COPY docs/guides docs/guides
COPY docs/images docs/images
COPY client/README.md client/README.md
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/console/dist console/dist
COPY bin bin
# The user node, as a number, so that an orchestrator can see that it is not root.
USER 1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "--disable-warning=Warning", "-e", "const { PORT = 3000, TLS_CERT_FILE } = process.env; process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; fetch(`${TLS_CERT_FILE ? 'https' : 'http'}://127.0.0.1:${PORT}/health/ready`).then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=32", "dist/src/main.js"]
