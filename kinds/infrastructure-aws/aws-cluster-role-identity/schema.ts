import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Infer, int32, list, object, required, string } from '../../../machinery/api/schema.ts';
import { allowedNamespaces, identityRef } from '../identity/schema.ts';

export const spec = object('A role that is assumed to call AWS, and who may use it.', {
  allowedNamespaces,
  roleARN: required(string('ARN of the role to assume.')),
  sessionName: string('Name of the session in CloudTrail; by default capstan-<namespace>-<cluster>.'),
  durationSeconds: int32('How long a session lasts. AWS limits it to an hour where a role assumes the role.', {
    minimum: 900,
    maximum: 43200,
  }),
  inlinePolicy: string('A session policy as JSON: the session may do only what it and the role allow.'),
  policyARNs: list('ARNs of managed policies that limit the session, too.', string('ARN of a policy.')),
  externalID: string('The external id that the trust policy of the role asks for.'),
  sourceIdentityRef: identityRef('The identity that assumes the role; by default the control plane itself.'),
});

export type AWSClusterRoleIdentitySpec = Infer<typeof spec>;
export type AWSClusterRoleIdentity = KubeObject<AWSClusterRoleIdentitySpec>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    AWSClusterRoleIdentity: AWSClusterRoleIdentity;
  }
}
