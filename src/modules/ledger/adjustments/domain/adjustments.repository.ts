import {
  AccountOwnedFilter,
  AccountOwnedRepository,
} from '../../../../platform/database/account-owned-repository';
import { Adjustment } from './adjustment';

export type AdjustmentFilter = AccountOwnedFilter<Adjustment, 'status' | 'reference'>;

export abstract class AdjustmentsRepository extends AccountOwnedRepository<Adjustment, AdjustmentFilter> {}
