/** Packages by the category that their time counts for. Other packages count as `other packages`. */
const packages = {
  'pg and its protocol': /^(pg|pg-protocol|pg-pool|pg-types|postgres-|pgpass)/,
  'Fastify and its router': /^(fastify|find-my-way|light-my-request|avvio|fast-json|secure-json|@fastify)/,
  'Nest and RxJS': /^(@nestjs\/(core|common|platform-fastify)|rxjs|reflect-metadata)$/,
  'tokens (JWT, Passport)':
    /^(@nestjs\/(jwt|passport)|jsonwebtoken|jws|jwa|passport|lodash\.|safe-buffer|buffer-equal|ecdsa|semver)/,
  TypeORM: /^typeorm$/,
  validation: /^(class-validator|class-transformer|validator)$/,
  logging: /^(pino|sonic-boom|thread-stream|fast-safe|quick-format|safe-stable)/,
};

/** Functions of the runtime that have no file. */
const natives = {
  'socket writes': /^(writev|write(Utf8|Latin1|Ucs2|Ascii)String|writeBuffer)$/,
  'garbage collection': /^\(garbage collector\)$/,
  logging: /^writeString$/, // the file of the log
  'native code and the kernel': /^\(program\)$/,
  cryptography: /^(Hmac|Hash|digest|update|sign|verify|timingSafeEqual|getRandomValues|oneShotDigest)$/,
};

const runtime = {
  cryptography: /^node:internal\/crypto\//,
  'HTTP of Node.js': /^node:(_http|internal\/http)/,
  'asynchronous contexts': /^node:(async_hooks|internal\/(async_hooks|async_local_storage|async_context))/,
  'streams and sockets of Node.js':
    /^node:(net|internal\/(streams|stream_base|net)|_stream|stream|events|diagnostics)/,
};

const OWN = "the service's own code";
const OTHER_PACKAGES = 'other packages';
const OTHER_RUNTIME = 'other parts of Node.js';

export const categories = [
  ...new Set([
    'socket writes',
    ...Object.keys(packages),
    OWN,
    ...Object.keys(runtime),
    ...Object.keys(natives),
    OTHER_PACKAGES,
    OTHER_RUNTIME,
  ]),
];

/** The category of a function of a profile. */
export function categoryOf(functionName, url) {
  const [, inPackages] = /.*\/node_modules\/(.*)$/.exec(url) ?? [];
  if (inPackages !== undefined) {
    const name = inPackages.split('/', inPackages.startsWith('@') ? 2 : 1).join('/');
    return categoryIn(packages, name) ?? OTHER_PACKAGES;
  }
  if (url.includes('/dist/')) return OWN;
  if (url.startsWith('node:')) return categoryIn(runtime, url) ?? OTHER_RUNTIME;
  return categoryIn(natives, functionName) ?? OTHER_RUNTIME;
}

function categoryIn(table, text) {
  return Object.keys(table).find((category) => table[category].test(text));
}
