/** Roles that services of AWS take. */
import type { Calls } from '../call.ts';

export interface RoleActions {
  GetRole: [{ RoleName: string }, { Role: { RoleName: string; Arn: string } }];
}

export const roleCalls = { GetRole: {} } as const satisfies Calls<RoleActions>;
