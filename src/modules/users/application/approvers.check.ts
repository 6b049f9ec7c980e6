import type { CheckContext, CheckQuery, Finding, HealthCheck } from '../../../platform/config/health-check';
import { ok, warning } from '../../../platform/config/health-check';
import { approvalsSettings } from '../../back-office';

/** Checks that a second admin is there to approve what the first one asks for, where approvals are required. */
export function approversCheck(countAdmins: (query: CheckQuery) => Promise<number | null>): HealthCheck {
  return {
    name: 'approvers',
    async run({ settings, query }: CheckContext): Promise<readonly Finding[]> {
      if (query === null || !settings.of(approvalsSettings).required) return [];
      const admins = await countAdmins(query);
      if (!admins) return []; // before the first start
      if (admins > 1) return [ok(`${admins} admins can approve what another one asks for.`)];
      return [
        warning(
          'There is one active admin, so nobody can approve what that admin asks for.',
          'Create a second one with `countinghouse admin create`, or set REQUIRE_APPROVALS=false.',
        ),
      ];
    },
  };
}
