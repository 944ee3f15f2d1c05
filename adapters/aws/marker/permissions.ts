import type { Permissions } from '../service/permissions.ts';

/** On the mark's parameter. Tagging on creation is a separate action. */
export const markerPermissions = {
  GetParameter: ['ssm:GetParameter'],
  GetParameterHistory: ['ssm:GetParameterHistory'],
  PutParameter: ['ssm:PutParameter', 'ssm:AddTagsToResource'],
} as const satisfies Permissions;

/** On the mark's parameter. */
export const removalPermissions = { DeleteParameter: ['ssm:DeleteParameter'] } as const satisfies Permissions;
