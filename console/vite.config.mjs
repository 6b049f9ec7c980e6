import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

/** The service under which `npx vite console` shows the sources while they change. */
const SERVICE = 'http://localhost:3000';

export default defineConfig({
  root: path('.'),
  base: '/console/',
  plugins: [react()],
  resolve: { alias: { 'countinghouse-client': path('../client/src/index.ts') } },
  build: {
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0, // the content security policy allows nothing inline
    chunkSizeWarningLimit: 800, // before compression; the budget is that of test/modules/back-office/console
    modulePreload: { polyfill: false },
  },
  // The session is only for pages of the host that a request names, which is therefore kept.
  server: { proxy: { '/v1': SERVICE, '/console/session': { target: SERVICE, changeOrigin: false } } },
});
