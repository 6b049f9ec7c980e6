/**
 * A provider did not do what it was asked. Nothing of its own error is kept but a short code: those carry the request.
 */
export class ProviderError extends Error {
  constructor(
    /** The provider's word for it, for example `amount_too_small`. */
    readonly code: string,
    /** Whether asking again cannot help. Otherwise the outcome is unknown, and a repeat of the same finds out. */
    readonly refused: boolean,
  ) {
    super(`The provider answered ${code}.`);
    this.name = 'ProviderError';
  }
}
