import type { KubeObject } from '../../../machinery/api/object.ts';
import { boolean, type Infer, object } from '../../../machinery/api/schema.ts';
import { conditions } from '../../infrastructure-aws/shapes.ts';
import { endpoint, failureDomains } from '../shapes.ts';

export const spec = object('The infrastructure of a cluster whose control plane EKS runs.', {
  controlPlaneEndpoint: endpoint,
});

export const status = object('What the control plane reports of the infrastructure.', {
  conditions,
  failureDomains,
  ready: boolean('Whether the control plane may be made.'),
});

export type AWSManagedCluster = KubeObject<Infer<typeof spec>, Infer<typeof status>>;
export type AWSManagedClusterStatus = Infer<typeof status>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    AWSManagedCluster: AWSManagedCluster;
  }
}
