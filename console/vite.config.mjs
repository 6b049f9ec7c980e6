import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

/** The service under which `npx vite console` shows the sources while they change. */
const SERVICE = 'http://localhost:3000';

const SESSION =
  /console\/src\/(place|session\/(session|drafts)|ui\/preferences)\.ts|client\/src|openapi-fetch/;

/** Loads the application beside its entry, which imports it once it has begun to restore the session. */
const preloadApplication = {
  name: 'preload-application',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle = {} }) => {
      const app = Object.values(bundle).find(({ name }) => name === 'app');
      const files = app === undefined ? [] : [app.fileName, ...app.imports];
      return files
        .filter((file) => !html.includes(file))
        .map((file) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `/console/${file}` },
          injectTo: 'head',
        }));
    },
  },
};

export default defineConfig(({ command }) => {
  // React for development is larger, and warns in the browser of the user.
  if (command === 'build') process.env.NODE_ENV = 'production';
  return {
    root: path('.'),
    base: '/console/',
    plugins: [react(), preloadApplication],
    resolve: { alias: { 'countinghouse-client': path('../client/src/index.ts') } },
    build: {
      target: 'es2023',
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      assetsInlineLimit: 0, // the content security policy allows nothing inline
      chunkSizeWarningLimit: 800, // before compression; the budget is that of test/modules/back-office/console
      modulePreload: { polyfill: false },
      rolldownOptions: {
        output: {
          // Browsers load six files at a time without HTTP/2, and each costs a round trip. So what pages share is in one file,
          // beside what restores the session, which waits for nothing else.
          codeSplitting: {
            groups: [
              { name: 'session', test: SESSION, priority: 1 },
              { name: 'parts', test: /console\/src\/(api|i18n|pages|session|ui)\//, minShareCount: 2 },
            ],
          },
        },
      },
    },
    // The session is only for pages of the host that a request names, which is therefore kept.
    server: { proxy: { '/v1': SERVICE, '/console/session': { target: SERVICE, changeOrigin: false } } },
  };
});
