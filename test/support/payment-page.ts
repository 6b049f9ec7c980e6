import { Api } from './api';
import { aPaymentRequest } from './request-bodies';
import { created, Owner } from './people';
import { TestService } from './service';

/** A payment request and the URL of its page in the test service. */
export interface Link {
  readonly id: string;
  readonly secret: string;
  readonly url: string;
}

export interface Page {
  readonly status: number;
  readonly html: string;
  readonly headers: Headers;
}

export async function aPaymentLink(service: TestService, owner: Owner, members: object = {}): Promise<Link> {
  const { id, payment_url } = await created(
    owner.api,
    '/v1/payments',
    aPaymentRequest(owner.accountId, members),
  );
  const secret = (payment_url as string).split('/').at(-1)!;
  return { id, secret, url: `${service.url}/pay/${secret}` };
}

export async function open(url: string, options: RequestInit = {}): Promise<Page> {
  const response = await fetch(url, { redirect: 'manual', ...options });
  return { status: response.status, html: await response.text(), headers: response.headers };
}

/** Submits a simulated outcome, as the page does that shows this number of declines. */
export function submitOutcome(url: string, outcome: 'succeeded' | 'declined', declines = 0): Promise<Page> {
  return send(url, `outcome=${outcome}&declines=${declines}`);
}

export function send(
  url: string,
  body: string,
  contentType = 'application/x-www-form-urlencoded',
): Promise<Page> {
  return open(url, { method: 'POST', body, headers: { 'content-type': contentType } });
}

/** Returns the state that the page shows. */
export function stateOf({ html }: Page): string | undefined {
  return /<main class="(\w+)"/.exec(html)?.[1];
}

export async function statusOf(api: Api, { id }: Link): Promise<string> {
  return (await api.get(`/v1/payments/${id}/status`)).body.status;
}
