import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Infer, object, required, stringMap } from '../../../machinery/api/schema.ts';
import { spec as clusterSpec } from '../aws-cluster/schema.ts';

export const spec = object('What the infrastructures of a ClusterClass are made from.', {
  template: required(
    object('The infrastructure to copy.', {
      metadata: object('Labels and annotations of each copy.', {
        annotations: stringMap('Annotations of each copy.'),
        labels: stringMap('Labels of each copy.'),
      }),
      spec: required(clusterSpec),
    }),
  ),
});

export type AWSClusterTemplateSpec = Infer<typeof spec>;
export type AWSClusterTemplate = KubeObject<AWSClusterTemplateSpec>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    AWSClusterTemplate: AWSClusterTemplate;
  }
}
