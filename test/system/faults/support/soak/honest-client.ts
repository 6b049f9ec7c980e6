import { randomUUID } from 'node:crypto';
import { aPaymentRequest, aTransaction } from '../../../../support/request-bodies';
import { Exchange, HttpClient } from './http-client';

/** What every client may read. */
const OWN_SESSIONS = '/v1/auth/sessions';

/** A session of a person, and the account for which it creates. */
export interface Login {
  readonly email: string;
  readonly password: string;
  readonly token: string;
  readonly refreshToken: string;
  readonly accountId: string;
}

/** A client as an integration would be: with Idempotency-Keys, and with tokens that it refreshes. */
export class HonestClient {
  private readonly accountId: string;
  private token: string;
  private refreshToken: string;
  private isRefreshing = false;
  private transactionId: string | null = null;
  private paymentId: string | null = null;

  constructor(
    private readonly http: HttpClient,
    login: Login,
  ) {
    this.token = login.token;
    this.refreshToken = login.refreshToken;
    this.accountId = login.accountId;
  }

  async createTransaction(type: 'payment' | 'credit'): Promise<Exchange> {
    const exchange = await this.create('/v1/transactions', aTransaction(this.accountId, { type }));
    this.transactionId = idIn(exchange) ?? this.transactionId;
    return exchange;
  }

  async createPaymentRequest(): Promise<Exchange> {
    const exchange = await this.create('/v1/payments', aPaymentRequest(this.accountId));
    this.paymentId = idIn(exchange) ?? this.paymentId;
    return exchange;
  }

  /** Reads the last transaction that was created. */
  readTransaction(): Promise<Exchange> {
    return this.get(this.transactionId === null ? OWN_SESSIONS : `/v1/transactions/${this.transactionId}`);
  }

  /** Reads the status of the last payment request that was created. */
  readPaymentStatus(): Promise<Exchange> {
    return this.get(this.paymentId === null ? OWN_SESSIONS : `/v1/payments/${this.paymentId}/status`);
  }

  get(path: string): Promise<Exchange> {
    return this.http.send({ method: 'GET', path, token: this.token });
  }

  /** Exchanges the refresh token for new tokens, one exchange at a time. */
  async refresh(): Promise<Exchange> {
    if (this.isRefreshing) return this.get(OWN_SESSIONS);
    this.isRefreshing = true;
    const body = { refresh_token: this.refreshToken };
    const exchange = await this.http.send({ method: 'POST', path: '/v1/auth/refresh', body });
    this.isRefreshing = false;
    if (exchange.status === 200) {
      const tokens = JSON.parse(exchange.text) as { access_token: string; refresh_token: string };
      this.token = tokens.access_token;
      this.refreshToken = tokens.refresh_token;
    }
    return exchange;
  }

  private create(path: string, body: object): Promise<Exchange> {
    const headers = { 'idempotency-key': randomUUID() };
    return this.http.send({ method: 'POST', path, token: this.token, body, headers });
  }
}

function idIn({ status, text }: Exchange): string | null {
  return status === 201 ? (JSON.parse(text) as { id: string }).id : null;
}
