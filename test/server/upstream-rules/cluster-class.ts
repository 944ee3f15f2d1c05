/**
 * Rules for ClusterClasses and the templates that only they refer to (core/webhooks/admission and
 * internal/topology of Cluster API 1.14, api/v1beta2/awsclustertemplate_webhook.go of the AWS
 * provider 2.11). Those that read Clusters of the class, too, stand in test/system/topology.test.ts.
 */
import { rollingUpdate, taint } from './parts.ts';
import { type UpstreamRule, workerClass } from './rule.ts';

const workers = (more: object) => ({ spec: { workers: { machineDeployments: [{ ...workerClass, ...more }] } } });
const schema = (of: object) => ({ openAPIV3Schema: of });
const variable = (more: object) => ({
  spec: { variables: [{ name: 'size', required: false, schema: schema({ type: 'string' }), ...more }] },
});
const patch = (jsonPatch: object, more: object = {}) => ({
  spec: {
    patches: [
      {
        name: 'size',
        definitions: [
          {
            selector: {
              apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
              kind: 'AWSMachineTemplate',
              matchResources: { machineDeploymentClass: { names: [workerClass.class] } },
              ...more,
            },
            jsonPatches: [jsonPatch],
          },
        ],
      },
    ],
  },
});
const path = '/spec/template/spec/instanceType';
const definition = 'spec.patches[0].definitions[0]';

const ofClass: UpstreamRule[] = [
  {
    refuses: 'what is no template',
    with: { spec: { infrastructure: { templateRef: { kind: 'AWSCluster' } } } },
    says: 'spec.infrastructure.templateRef.kind: Invalid value: "AWSCluster": template kind must be of form',
  },
  {
    refuses: 'names that cannot be',
    with: workers({ naming: { template: '{{ .cluster.name' } }),
    says: 'spec.workers.machineDeployments[0].naming.template: Invalid value',
  },
  {
    refuses: 'a taint of kubeadm',
    with: workers(taint('node.cluster.x-k8s.io/uninitialized')),
    says: 'spec.workers.machineDeployments[0].taints[0]',
  },
  {
    refuses: 'a rollout that can do no step',
    with: workers(rollingUpdate({ maxSurge: 0, maxUnavailable: 0 })),
    says: 'spec.workers.machineDeployments[0].rollout.strategy.rollingUpdate',
  },
  {
    refuses: 'a health check of a control plane without machines',
    with: { spec: { controlPlane: { healthCheck: { checks: { nodeStartupTimeoutSeconds: 600 } } } } },
    says: 'can be only set if spec.controlPlane.machineInfrastructure is set',
  },
  {
    refuses: 'the variable builtin',
    with: variable({ name: 'builtin' }),
    says: '"builtin" is a reserved variable name',
  },
  {
    refuses: 'a patch of an unknown variable',
    with: patch({ op: 'replace', path, valueFrom: { variable: 'size' } }),
    says: `${definition}.jsonPatches[0].valueFrom.variable: Invalid value: "size": variable with name size cannot be found`,
  },
  {
    refuses: 'a patch of metadata',
    with: patch({ op: 'add', path: '/metadata/labels/a', value: 'b' }),
    says: `${definition}.jsonPatches[0].path: Invalid value`,
  },
  {
    refuses: 'a patch of a class that does not exist',
    with: patch(
      { op: 'add', path, value: 't3.large' },
      { matchResources: { machineDeploymentClass: { names: ['other'] } } },
    ),
    says: 'selector is enabled but matches neither the bootstrap ref nor the infrastructure ref',
  },
  {
    refuses: 'versions with a gap',
    with: { spec: { kubernetesVersions: ['v1.33.0', 'v1.35.0'] } },
    says: 'spec.kubernetesVersions[1]: Invalid value: "v1.35.0": expecting a version with minor 33 or 34',
  },
  {
    refuses: 'another kind of infrastructure',
    stored: {},
    with: { spec: { infrastructure: { templateRef: { kind: 'OtherTemplate' } } } },
    says: 'spec.infrastructure.templateRef',
  },
].map((rule) => ({ kind: 'ClusterClass', ...rule }));

export const classRules: UpstreamRule[] = [
  ...ofClass,
  {
    kind: 'KubeadmControlPlaneTemplate',
    refuses: 'to change',
    stored: {},
    with: { spec: { template: { spec: { kubeadmConfigSpec: { format: 'ignition' } } } } },
    says: 'KubeadmControlPlaneTemplate spec.template.spec field is immutable',
  },
  {
    kind: 'AWSClusterTemplate',
    refuses: 'to change',
    stored: {},
    with: { spec: { template: { spec: { region: 'eu-west-1' } } } },
    says: 'AWSClusterTemplate.Spec is immutable',
  },
];
