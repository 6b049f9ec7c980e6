import type { AccountOwnedFilter } from '../../../../platform/database/account-owned-repository';
import { AccountOwnedRepository } from '../../../../platform/database/account-owned-repository';
import type { Adjustment } from './adjustment';

export type AdjustmentFilter = AccountOwnedFilter<Adjustment, 'status' | 'reference'>;

export abstract class AdjustmentsRepository extends AccountOwnedRepository<Adjustment, AdjustmentFilter> {}
