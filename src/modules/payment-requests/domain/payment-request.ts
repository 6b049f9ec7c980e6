import { randomBytes } from 'node:crypto';
import { DAY_MS, timeOfChange } from '../../../kernel/clock';
import { Metadata } from '../../../kernel/metadata';
import { Refusal } from '../../../kernel/refusal';
import { paymentRequestLifecycle, PaymentRequestStatus } from './payment-request.lifecycle';

/** How long a request can be paid unless it says otherwise, and at most. */
const PRESET_DAYS = 30;
const MAX_DAYS = 366;

/** 256 bits: whoever knows the link may pay, so it must not be guessed. */
const SECRET_BYTES = 32;

/** Money asked of a customer, with the secret of the page where they pay (interface 2.4). */
export class PaymentRequest {
  readonly accountId: string;
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly customerEmail: string;
  readonly reference: string | null;
  readonly metadata: Metadata;
  /** The last part of the payment URL. */
  readonly secret: string;
  status: PaymentRequestStatus;
  readonly expiresAt: Date;
  readonly createdAt: Date;
  updatedAt: Date;

  /** @throws Refusal `invalid_request` for an expiry that is past or more than a year away */
  static create(
    request: Pick<
      PaymentRequest,
      'id' | 'accountId' | 'amount' | 'currency' | 'customerEmail' | 'reference' | 'metadata'
    >,
    expiresAt: Date | null,
    at: Date,
  ): PaymentRequest {
    const fields: Partial<PaymentRequest> = {
      ...request,
      secret: randomBytes(SECRET_BYTES).toString('base64url'),
      status: 'pending',
      expiresAt: expiry(expiresAt, at),
      createdAt: at,
      updatedAt: at,
    };
    return Object.assign(Object.create(PaymentRequest.prototype) as PaymentRequest, fields);
  }

  /** @throws Refusal `not_cancellable` unless it is pending */
  cancel(now: Date): void {
    this.status = paymentRequestLifecycle.move('cancel', this.status);
    this.updatedAt = timeOfChange(this.updatedAt, now);
  }
}

function expiry(wanted: Date | null, at: Date): Date {
  if (wanted === null) return new Date(at.getTime() + PRESET_DAYS * DAY_MS);
  if (wanted <= at || wanted.getTime() > at.getTime() + MAX_DAYS * DAY_MS) {
    throw new Refusal('invalid_request', 'expires_at must be in the future and within a year.');
  }
  return wanted;
}
