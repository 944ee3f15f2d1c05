import type { Permissions } from '../service/permissions.ts';

/** On the one parameter. It is tagged when it is made, which is checked apart. */
export const markerPermissions = {
  GetParameter: ['ssm:GetParameter'],
  GetParameterHistory: ['ssm:GetParameterHistory'],
  PutParameter: ['ssm:PutParameter', 'ssm:AddTagsToResource'],
} as const satisfies Permissions;

/** On the same. */
export const removalPermissions = { DeleteParameter: ['ssm:DeleteParameter'] } as const satisfies Permissions;
