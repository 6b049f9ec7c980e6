import { Birth } from '../domain/birth';
import { NewMovement, Processor } from '../domain/processor';

/** Money moves outside, and an admin or a platform system reports what became of it. */
export class ManualProcessor extends Processor {
  readonly kind: Processor['kind'] = 'live';

  begin({ type, byOperator }: NewMovement): Birth {
    if (type === 'credit' && byOperator) return { status: 'succeeded' };
    return { status: 'pending', end: null };
  }
}
