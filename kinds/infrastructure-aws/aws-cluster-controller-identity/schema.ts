import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Infer, object } from '../../../machinery/api/schema.ts';
import { allowedNamespaces } from '../identity/schema.ts';

export const spec = object('Who may use the identity that the control plane itself runs with.', {
  allowedNamespaces,
});

export type AWSClusterControllerIdentitySpec = Infer<typeof spec>;
export type AWSClusterControllerIdentity = KubeObject<AWSClusterControllerIdentitySpec>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    AWSClusterControllerIdentity: AWSClusterControllerIdentity;
  }
}
