/** KubeadmControlPlaneTemplate: a control plane without what the topology of a Cluster decides. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Infer, object, required } from '../../../machinery/api/schema.ts';
import { kubeadmConfigSpec } from '../../bootstrap-kubeadm/kubeadm-config/schema.ts';
import { kubeadmConfigSpec as kubeadmConfigSpecV1beta1 } from '../../bootstrap-kubeadm/kubeadm-config/schema-v1beta1.ts';
import { deletionTimeouts, legacyDeletionTimeouts, machineTaints, templateMetadata } from '../../common/schema.ts';
import { machineNaming, remediation, rollout } from '../kubeadm-control-plane/schema.ts';
import { replacement } from '../kubeadm-control-plane/schema-v1beta1.ts';

const some = { minProperties: 1 };
const text = 'What control planes are made from.';
const copied = 'The control plane to copy.';
const machines = 'What the machines are made from.';
const taints = machineTaints('Taints of the nodes, besides those that kubeadm sets.');

export const kubeadmControlPlaneTemplateSpec = object(text, {
  template: required(
    object(
      copied,
      {
        metadata: templateMetadata('v1beta2', 'Labels and annotations of each copy.'),
        spec: object(
          'Spec of each copy.',
          {
            kubeadmConfigSpec,
            machineNaming,
            machineTemplate: object(
              machines,
              {
                metadata: templateMetadata('v1beta2', 'Labels and annotations of the machines.'),
                spec: object(
                  'Spec of the machines.',
                  { deletion: object('How the machines are deleted.', deletionTimeouts, some), taints },
                  some,
                ),
              },
              some,
            ),
            remediation,
            rollout,
          },
          some,
        ),
      },
      some,
    ),
  ),
});
export type KubeadmControlPlaneTemplateSpec = Infer<typeof kubeadmControlPlaneTemplateSpec>;
export type KubeadmControlPlaneTemplate = KubeObject<KubeadmControlPlaneTemplateSpec>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    KubeadmControlPlaneTemplate: KubeadmControlPlaneTemplate;
  }
}

export const kubeadmControlPlaneTemplateSpecV1beta1 = object(text, {
  template: required(
    object(copied, {
      metadata: templateMetadata('v1beta1', 'Labels and annotations of each copy.'),
      spec: required(
        object('Spec of each copy.', {
          kubeadmConfigSpec: required(kubeadmConfigSpecV1beta1),
          machineTemplate: object(machines, {
            metadata: templateMetadata('v1beta1', 'Labels and annotations of the machines.'),
            ...legacyDeletionTimeouts,
            taints,
          }),
          ...replacement,
        }),
      ),
    }),
  ),
});
