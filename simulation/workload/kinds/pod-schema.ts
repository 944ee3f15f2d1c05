/** The lists of a pod that strategic merge patches merge by key. Source: the patch tags of the Kubernetes API. */
import type { JsonSchema } from '../../../machinery/api/schema.ts';
import { fields, keep, keyed } from './built-in.ts';

const container = fields({
  ports: keyed('containerPort'),
  env: keyed('name'),
  volumeMounts: keyed('mountPath'),
  volumeDevices: keyed('devicePath'),
});

export const podSpec: JsonSchema = fields({
  containers: keyed('name', container),
  initContainers: keyed('name', container),
  ephemeralContainers: keyed('name', container),
  volumes: keyed('name', keep, 'merge,retainKeys'),
  imagePullSecrets: keyed('name'),
  hostAliases: keyed('ip'),
  topologySpreadConstraints: keyed('topologyKey'),
  resourceClaims: keyed('name', keep, 'merge,retainKeys'),
  schedulingGates: keyed('name'),
});

export const podTemplate: JsonSchema = fields({ metadata: keep, spec: podSpec });
export const conditionsByType: JsonSchema = fields({ conditions: keyed('type') });
export const workloadSpec = (strategy: 'strategy' | 'updateStrategy' | undefined): JsonSchema =>
  fields({
    template: podTemplate,
    ...(strategy && { [strategy]: { ...keep, 'x-kubernetes-patch-strategy': 'retainKeys' } }),
  });
