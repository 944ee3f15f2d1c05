import type { KindFacts } from '../../../machinery/api/kind.ts';
import type { JsonValue, KubeObject } from '../../../machinery/api/object.ts';
import { aliasOfControlPlane } from '../../core/contract/control-plane.ts';
import { referencesOfControlPlane } from './references.ts';

/** A topology writes the spec as a user does. Annotations of capstan.dev are notes of the controller for itself. */
const directionOf = ({ spec, metadata: { annotations = {} } }: KubeObject): JsonValue => [
  (spec ?? null) as JsonValue,
  Object.entries(annotations).filter(([name]) => !name.startsWith('capstan.dev/')),
];

export const kubeadmControlPlane: KindFacts = {
  group: 'controlplane.cluster.x-k8s.io',
  kind: 'KubeadmControlPlane',
  plural: 'kubeadmcontrolplanes',
  namespaced: true,
  direction: directionOf,
  gates: ['initialization', 'Available'],
  summary: 'Available',
  role: 'ControlPlane',
  alias: aliasOfControlPlane,
  references: referencesOfControlPlane,
};
