import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { Clock, SECOND_MS } from '../../../kernel/clock';
import { Database } from '../../../platform/database/database';
import { PeriodicTask } from '../../../platform/jobs/periodic-tasks';
import { Log } from '../../../platform/telemetry/log';
import { WebhookEndpointsRepository } from '../domain/webhook-endpoints.repository';
import { EndpointDeliveries } from './endpoint-deliveries';

/** The endpoints to which this process delivers at the same time. Failing ones have a limit of their own. */
const MAX_RUNNING = 200;
const MAX_RUNNING_FAILING = 50;

/** How often this process reads the due endpoints while deliveries are in progress. */
const POLL_MS = 25;

/** An endpoint whose deliveries could not be read or recorded waits for this time. */
const POSTPONED_MS = 30 * SECOND_MS;

/**
 * Delivers to all endpoints that are due, each apart from the others: one that is slow delays no other, and one that
 * fails waits for the end of its pause, and its deliveries are not read until then.
 */
@Injectable()
export class DeliveryScheduler implements PeriodicTask {
  readonly name = 'webhook deliveries';
  readonly intervalMs = 250;
  /** By the id of the endpoint. */
  private readonly running = new Map<string, { readonly failing: boolean; readonly done: Promise<void> }>();
  private readonly postponedUntil = new Map<string, Date>();

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
        const wasIdle = this.running.size === 0;
        await this.startDue(false, MAX_RUNNING, stopping);
        await this.startDue(true, MAX_RUNNING_FAILING, stopping);
        // What ended while they were read may have left something due that was not found.
        if (wasIdle && this.running.size === 0) break;
        await delay(POLL_MS);
      }
      return false;
    } finally {
      await Promise.all([...this.running.values()].map(({ done }) => done));
    }
  }

  private async startDue(failing: boolean, maxRunning: number, stopping: AbortSignal): Promise<void> {
    const running = [...this.running.values()].filter((one) => one.failing === failing).length;
    if (running === maxRunning) return;
    const now = this.clock.now();
    for (const [id, until] of this.postponedUntil) if (until <= now) this.postponedUntil.delete(id);
    const excludedIds = [...this.running.keys(), ...this.postponedUntil.keys()];
    const due = await this.endpoints.findDue(now, { failing, excludedIds, limit: maxRunning - running });
    for (const key of due) {
      const done = this.deliver(key, stopping).finally(() => this.running.delete(key.id));
      this.running.set(key.id, { failing, done });
    }
  }

  private async deliver(key: { accountId: string; id: string }, stopping: AbortSignal): Promise<void> {
    try {
      // All deliveries together use a part of the connections only.
      await this.database.runFor('webhook deliveries', () => this.deliveries.deliver(key, stopping));
    } catch (error) {
      this.postponedUntil.set(key.id, new Date(this.clock.now().getTime() + POSTPONED_MS));
      this.log.failure(`The deliveries to the webhook endpoint ${key.id} were postponed`, error);
    }
  }
}
