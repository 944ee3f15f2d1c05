import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Infer, list, object, string } from '../../../machinery/api/schema.ts';
import { labelSelector } from '../../common/schema.ts';

export const spec = object('Who may use the identity that the control plane itself runs with.', {
  allowedNamespaces: object(
    'Namespaces whose clusters may use it: absent means none, empty means all.',
    {
      list: list('Namespaces by name.', string('Name of a namespace.'), { nullable: true }),
      selector: labelSelector('Namespaces by label; an empty selector matches none.'),
    },
    { nullable: true },
  ),
});

export type AWSClusterControllerIdentitySpec = Infer<typeof spec>;
export type AWSClusterControllerIdentity = KubeObject<AWSClusterControllerIdentitySpec>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    AWSClusterControllerIdentity: AWSClusterControllerIdentity;
  }
}
