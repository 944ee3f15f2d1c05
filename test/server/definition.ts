/** A definition of a user's kind. */
import type { DefinitionSpec, DefinitionVersion } from '../../machinery/custom/definition.ts';

export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** What real manifests declare of a root. */
export const rootOf = (spec: object, more: object = {}) => ({
  type: 'object',
  properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object' }, spec },
  ...more,
});

export const versionOf = (spec: object, more: Partial<DefinitionVersion> = {}): DefinitionVersion =>
  ({
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: rootOf(spec) },
    ...more,
  }) as DefinitionVersion;

const gadget = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 1 },
    color: { type: 'string', default: 'red' },
  },
};

export const definitionOf = (change: Partial<DefinitionSpec> = {}, names: object = {}) => {
  const spec = {
    group: 'shop.example',
    scope: 'Namespaced',
    names: { plural: 'gadgets', kind: 'Gadget', ...names },
    versions: [versionOf(gadget)],
    ...change,
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${spec.names.plural}.${spec.group}` },
    spec,
  };
};

export const gadgets = '/apis/shop.example/v1/namespaces/default/gadgets';
export const gadgetOf = (name: string, spec: object = { size: 1 }, more: object = {}) => ({
  apiVersion: 'shop.example/v1',
  kind: 'Gadget',
  metadata: { name },
  spec,
  ...more,
});
