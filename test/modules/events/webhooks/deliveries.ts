import { Webhook } from 'standardwebhooks';
import { created, Owner } from '../../../support/people';
import { aTransaction } from '../../../support/request-bodies';
import { TestService } from '../../../support/service';
import { Received, Receiver } from './receiver';

/** An endpoint of an owner, at a receiver of the tests. */
export function anEndpoint(owner: Owner, { url }: Receiver, members: object = {}): Promise<any> {
  return created(owner.api, '/v1/webhooks', { url: `${url}/${owner.accountId}`, ...members });
}

/** Records one event: the creation of a pending transaction. @returns the transaction */
export function anEvent(owner: Owner, members: object = {}): Promise<any> {
  return created(owner.api, '/v1/transactions', aTransaction(owner.accountId, members));
}

/** What a receiver got for an account. */
export function receivedBy({ received }: Receiver, { accountId }: Owner): Received[] {
  return received.filter(({ path }) => path === `/${accountId}`);
}

/** @throws Error unless the signature is valid. @returns the event */
export function verified(secret: string, { body, headers }: Received): any {
  return new Webhook(secret).verify(body, headers as Record<string, string>);
}

/** The deliveries of an endpoint, newest first. */
export async function deliveriesOf(owner: Owner, id: string, query = ''): Promise<any[]> {
  return (await owner.api.get(`/v1/webhooks/${id}/deliveries${query}`)).body.data;
}

/** Delivers what is due, and what becomes due within these seconds. */
export async function later(service: TestService, seconds: number): Promise<void> {
  service.clock.move({ seconds });
  await service.runDueTasks();
}
