import { Injectable } from '@nestjs/common';
import { JobHandler } from '../../../../platform/jobs/job-queue';
import { Mailer, MailFailure } from '../../../../platform/mail/mailer';
import { Log } from '../../../../platform/telemetry/log';
import { AccountReader } from '../../../accounts';
import { WebhookEndpointsRepository } from '../domain/webhook-endpoints.repository';
import { renderDisabledNotice } from './disabled-notice-content';

interface DisabledNoticePayload {
  readonly account_id: string;
  readonly id: string;
}

/** Tells the owner of an account that one of its endpoints was disabled. */
@Injectable()
export class DisabledNoticeJob implements JobHandler<DisabledNoticePayload> {
  /** Queued jobs contain this name, so it must not change. */
  readonly name = 'webhook-mail';
  /** With delays of up to six hours, the attempts take about a day. */
  readonly attempts = 13;

  constructor(
    private readonly repository: WebhookEndpointsRepository,
    private readonly accounts: AccountReader,
    private readonly mailer: Mailer,
    private readonly log: Log,
  ) {}

  /**
   * Sends nothing when the endpoint was enabled or deleted in the meantime.
   * @throws MailFailure when a retry may succeed
   */
  async run({ account_id: accountId, id }: DisabledNoticePayload, signal: AbortSignal): Promise<void> {
    const endpoint = await this.repository.find(id, accountId);
    const account = await this.accounts.find(accountId);
    const reason = endpoint?.noticedReason ?? null;
    if (account === null || endpoint === null || reason === null) return;
    const content = renderDisabledNotice(reason, endpoint.url, account.language);
    const event = `webhook_disabled.${id}.${endpoint.disabledAt!.getTime()}`;
    try {
      // The sender's name stays empty: mail programs then show the operator's address.
      await this.mailer.send({ ...content, event, to: account.email, sender: '' }, signal);
    } catch (error) {
      if (!(error instanceof MailFailure && error.permanent)) throw error;
      this.log.failure(`The mail server permanently rejected the email about the endpoint ${id}`, error);
    }
  }
}
