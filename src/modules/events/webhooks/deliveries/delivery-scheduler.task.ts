import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { Clock, MINUTE_MS, SECOND_MS } from '../../../../kernel/clock';
import { FairQueue } from '../../../../kernel/fair-queue';
import { Database } from '../../../../platform/database/database';
import type { PeriodicTask } from '../../../../platform/jobs/periodic-tasks';
import { Log } from '../../../../platform/telemetry/log';
import { Pace } from '../delivery-pace';
import { WebhookEndpoint } from '../webhook-endpoint';
import { DuePosition, WebhookEndpointsRepository } from '../webhook-endpoints.repository';
import { EndpointDeliveries, LeavePlace } from './endpoint-deliveries.service';

/**
 * The endpoints of a pace to which this process delivers at the same time, and those of them that one network and one
 * account may have. What a share leaves is for others, who would otherwise wait for the end of slow requests.
 */
const PLACES: Readonly<Record<Pace, { all: number; ofNetwork: number; ofAccount: number }>> = {
  fast: { all: 128, ofNetwork: 112, ofAccount: 4 },
  new: { all: 256, ofNetwork: 224, ofAccount: 4 },
  slow: { all: 32, ofNetwork: 28, ofAccount: 1 },
  failing: { all: 64, ofNetwork: 56, ofAccount: 2 },
};

/** The endpoints to which deliveries go on without a place, and those of them of one network and one account. */
const OVERDUE = { all: 256, ofNetwork: 64, ofAccount: 4 };

/** The endpoints of a pace that wait in this process. Others wait in the database. */
const MAX_WAITING = 1_000;

/** The due endpoints that are read at a time. */
const PAGE = 500;

/** How often this process reads due endpoints while deliveries are in progress. */
const POLL_MS = 25;

/** An endpoint whose deliveries could not be read or recorded waits for this time. */
const POSTPONED_MS = 5 * SECOND_MS;

/** A delivery that has not ended by then, as its lease has, is given up: its place is free for others. */
const MAX_DELIVERY_MS = MINUTE_MS;

/**
 * Delivers to all endpoints that are due, each apart from the others. Those of one pace share places, which go to the
 * networks in turn from which accounts were signed up, and in each of them to its accounts: slow receivers delay others of
 * their pace only, and many accounts get no more than one. An endpoint that fails waits for the end of its pause.
 */
@Injectable()
export class DeliveryScheduler implements PeriodicTask {
  readonly name = 'webhook deliveries';
  readonly intervalMs = 250;
  readonly wokenBy = ['webhook_endpoints'];
  private readonly queues: Readonly<Record<Pace, FairQueue>> = {
    fast: createQueue('fast'),
    new: createQueue('new'),
    slow: createQueue('slow'),
    failing: createQueue('failing'),
  };
  private readonly overdue = new FairQueue(OVERDUE.all, 0, tooMany, [OVERDUE.ofNetwork, OVERDUE.ofAccount]);
  /** What waits or runs in this process, by the id of the endpoint. */
  private readonly taken = new Map<string, Promise<void>>();
  private readonly postponedUntil = new Map<string, Date>();
  /** Where the next page of due endpoints begins. */
  private position: DuePosition | null = null;

  constructor(
    private readonly database: Database,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly deliveries: EndpointDeliveries,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Ends when nothing is due or in progress. @returns false */
  async run(_now: Date, stopping: AbortSignal): Promise<boolean> {
    try {
      while (!stopping.aborted) {
        const wasIdle = this.taken.size === 0 && this.position === null;
        await this.takeDue(stopping);
        // What ended while they were read may have left something due that was not found.
        if (wasIdle && this.taken.size === 0 && this.position === null) break;
        await delay(POLL_MS);
      }
      return false;
    } finally {
      await Promise.all(this.taken.values());
    }
  }

  nextRun(): Promise<Date | null> {
    return this.endpoints.earliestDue();
  }

  nextDue(now: Date): Promise<Date | null> {
    return this.endpoints.earliestDue(now);
  }

  /** Reads one page at a time, so that those which wait do not hide others. */
  private async takeDue(stopping: AbortSignal): Promise<void> {
    const now = this.clock.now();
    for (const [id, until] of this.postponedUntil) if (until <= now) this.postponedUntil.delete(id);
    const due = await this.endpoints.findDue(now, this.position, PAGE);
    this.position = due.length === PAGE ? due.at(-1)! : null;
    for (const endpoint of due) {
      const { id } = endpoint;
      if (this.taken.has(id) || this.postponedUntil.has(id)) continue;
      const done = this.enqueue(endpoint, endpoint.pace(now), stopping);
      this.taken.set(
        id,
        done.finally(() => this.taken.delete(id)),
      );
    }
  }

  private async enqueue(endpoint: WebhookEndpoint, pace: Pace, stopping: AbortSignal): Promise<void> {
    const { accountId, signUpNetwork } = endpoint;
    const path = [signUpNetwork ?? accountId, accountId];
    let delivery = Promise.resolve();
    const deliver = (): Promise<void> =>
      new Promise((free) => {
        if (stopping.aborted) return free();
        const keepsPlace = pace === 'slow' || pace === 'failing';
        const leavePlace = keepsPlace ? null : this.leavePlace(path, free, () => delivery);
        delivery = this.deliver(endpoint, pace, stopping, leavePlace).finally(free);
      });
    // One that the queue rejects is read again.
    await this.queues[pace].run(path, deliver).catch(() => undefined);
    await delivery; // one that is overdue goes on
  }

  /** @param free gives the place back @param delivery what goes on without it */
  private leavePlace(path: readonly string[], free: () => void, delivery: () => Promise<void>): LeavePlace {
    let leaving: Promise<boolean> | null = null;
    const leave = (): Promise<boolean> =>
      new Promise((respond) => {
        const goOn = (): Promise<void> => {
          free();
          respond(true);
          return delivery();
        };
        const stay = (): void => {
          leaving = null; // another request may ask later
          respond(false);
        };
        this.overdue.run(path, goOn).catch(stay);
      });
    return () => (leaving ??= leave());
  }

  /** Never throws. */
  private async deliver(
    { accountId, id }: WebhookEndpoint,
    pace: Pace,
    stopping: AbortSignal,
    leavePlace: LeavePlace | null,
  ): Promise<void> {
    try {
      // All deliveries use a part of the connections only, and those to fast endpoints wait for no others there.
      const holder = pace === 'fast' ? 'fast webhook deliveries' : 'other webhook deliveries';
      const done = this.database.runFor(holder, () =>
        this.deliveries.deliver({ accountId, id }, pace, stopping, leavePlace),
      );
      await withinTime(done);
    } catch (error) {
      this.postponedUntil.set(id, new Date(this.clock.now().getTime() + POSTPONED_MS));
      this.log.failure(`The deliveries to the webhook endpoint ${id} were postponed`, error);
    }
  }
}

function createQueue(pace: Pace): FairQueue {
  const { all, ofNetwork, ofAccount } = PLACES[pace];
  return new FairQueue(all, MAX_WAITING, tooMany, [ofNetwork, ofAccount]);
}

function tooMany(): Error {
  return new Error('Too many.');
}

/** @throws Error when the deliveries do not end in time; they may go on, but nobody waits for them */
async function withinTime(deliveries: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = new Error(`They did not end within ${MAX_DELIVERY_MS / SECOND_MS} s.`);
    timer = setTimeout(() => reject(error), MAX_DELIVERY_MS);
  });
  await Promise.race([deliveries, late]).finally(() => clearTimeout(timer));
}
