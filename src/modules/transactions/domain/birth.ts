/** How a transaction comes into the world. */
export type Birth =
  | { readonly status: 'succeeded' | 'failed' }
  /** `settlesAt`: when it ends by itself, and `outcome` how; null when somebody reports the outcome. */
  | {
      readonly status: 'pending';
      readonly end: { readonly settlesAt: Date; readonly outcome: Outcome } | null;
      /** It is sent to the provider, which reports the outcome. */
      readonly byProvider?: true;
    };

export const outcomes = ['succeeded', 'failed'] as const;
export type Outcome = (typeof outcomes)[number];
