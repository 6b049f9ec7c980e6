import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../kernel/clock';
import { MINUTE_MS } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import type { SecretCipher } from '../../../platform/config/secret-cipher';
import type { SignInChecks } from './openid-provider';

/** The time to sign in at the provider. */
const FLOW_MS = 10 * MINUTE_MS;

export interface SignInFlow extends SignInChecks {
  /** The path of the page to show after the sign-in. */
  readonly returnTo: string;
}

/**
 * Sign-ins at a provider that have begun. Each is in a cookie of the browser alone, encrypted, so that any replica finishes
 * it and nobody else learns or chooses what the response is checked against.
 */
export class SignInFlows {
  constructor(
    private readonly cipher: SecretCipher,
    private readonly clock: Clock,
  ) {}

  begin(returnTo: string): SignInFlow {
    const random = (): string => randomBytes(32).toString('base64url');
    return { state: random(), nonce: random(), codeVerifier: random(), returnTo };
  }

  seal(provider: string, flow: SignInFlow): string {
    const expiresAt = this.clock.now().getTime() + FLOW_MS;
    return this.cipher.encrypt(JSON.stringify({ ...flow, expiresAt }), provider);
  }

  /** @throws DomainError `invalid_request` unless this service has sealed it for the provider, in the last ten minutes */
  open(provider: string, sealed: string | null): SignInFlow {
    const text = sealed === null ? null : this.decrypt(sealed, provider);
    if (text !== null) {
      const flow = JSON.parse(text) as SignInFlow & { readonly expiresAt: number };
      if (this.clock.now().getTime() < flow.expiresAt) return flow;
    }
    throw new DomainError(
      'invalid_request',
      'This sign-in was not begun here, or took too long. Begin again.',
    );
  }

  private decrypt(sealed: string, provider: string): string | null {
    try {
      return this.cipher.decrypt(sealed, provider);
    } catch {
      return null; // changed, or begun with another provider
    }
  }
}
