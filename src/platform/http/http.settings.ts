import { bool, makeValidator, str } from 'envalid';
import { SECOND_MS } from '../../kernel/clock';
import { assertSetTogether, defineSettings, integer, type SettingsOf } from '../config/settings';

const PRODUCTION_RATE_LIMIT = 1000;

/** One client network has at most this part of the connections, so that it cannot take them all. */
const NETWORKS_SHARING_CONNECTIONS = 4;

/** Browsers send exactly the form that URL gives an origin: in lower case, without a default port and without a path. */
const originList = makeValidator<string[]>((input) => {
  const origins = input.split(',').map((origin) => origin.trim());
  if (!origins.every(isWebOrigin)) {
    throw new Error('must be origins like https://app.example.com, without a path, separated by commas');
  }
  return origins;
});

function isWebOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

export const httpSettings = defineSettings({
  variables: {
    PORT: integer(
      0,
      65_535,
    )({ default: 3000, desc: 'The port that the service listens on; 0 takes any free port.' }),
    LISTEN_ADDRESS: str({
      default: '',
      desc: 'The address that the service listens on: by default `localhost`, in production every IPv4 address (`0.0.0.0`).',
    }),
    RATE_LIMIT_PER_SECOND: integer(
      0,
      1_000_000,
    )({
      default: undefined,
      desc: 'Requests per second on each replica: of a valid token, and of a client network (an IPv4 address or an IPv6 /64) without one; all tokens of one network together have ten times the limit. 0 disables it. By default 1,000 in production and disabled elsewhere.',
    }),
    MAX_CONNECTIONS: integer(
      10,
      1_000_000,
    )({
      default: 2000,
      desc: 'The maximum number of client connections of one replica. In production, one client network has at most a quarter of them, unless `TRUSTED_PROXIES` is set. Further connections are closed.',
    }),
    TRUSTED_PROXIES: str({
      default: '',
      desc: 'Comma-separated addresses or CIDR ranges of proxies whose `X-Forwarded-*` headers are trusted.',
    }),
    CORS_ORIGINS: originList({
      default: [],
      desc: 'Comma-separated origins of web pages that may call the API from a browser, like `https://app.example.com`. By default, none may.',
    }),
    TLS_CERT_FILE: str({
      default: '',
      desc: 'The certificate file. With `TLS_KEY_FILE`, the service itself serves HTTPS.',
    }),
    TLS_KEY_FILE: str({ default: '', desc: 'The private key of that certificate.' }),
    SHUTDOWN_DELAY_SECONDS: integer(
      0,
      120,
    )({
      default: 0,
      desc: 'How long the service still accepts connections after SIGTERM, while `/health/ready` responds 503, so that a load balancer notices.',
    }),
    ALLOW_INSECURE_HTTP: bool({
      default: false,
      desc: 'Allows the API over plain HTTP in production, where it otherwise requires HTTPS from everywhere but loopback.',
    }),
  },
  read: (values, { production }) => {
    assertSetTogether(values, 'TLS_CERT_FILE', 'TLS_KEY_FILE');
    const trustedProxies = values.TRUSTED_PROXIES.split(',')
      .map((entry) => entry.trim())
      .filter(Boolean);
    const sharedByNetworks = production && trustedProxies.length === 0; // behind a proxy, all come from its address
    return {
      port: values.PORT,
      listenAddress: values.LISTEN_ADDRESS || (production ? '0.0.0.0' : 'localhost'),
      rateLimitPerSecond: values.RATE_LIMIT_PER_SECOND ?? (production ? PRODUCTION_RATE_LIMIT : 0),
      maxConnections: values.MAX_CONNECTIONS,
      maxConnectionsPerNetwork: sharedByNetworks
        ? Math.floor(values.MAX_CONNECTIONS / NETWORKS_SHARING_CONNECTIONS)
        : values.MAX_CONNECTIONS,
      trustedProxies,
      corsOrigins: values.CORS_ORIGINS,
      shutdownDelayMs: values.SHUTDOWN_DELAY_SECONDS * SECOND_MS,
      tls: values.TLS_CERT_FILE ? { certFile: values.TLS_CERT_FILE, keyFile: values.TLS_KEY_FILE } : null,
      requireHttps: production && !values.ALLOW_INSECURE_HTTP,
      /** Whether responses tell browsers to use HTTPS only. */
      strictTransportSecurity: production,
    };
  },
});

export type HttpSettings = SettingsOf<typeof httpSettings>;
