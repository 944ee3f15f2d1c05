/** autoscaling/v1 Scale, the body of /scale. Never stored. */
import type { KindDefinition, KindVersion } from '../api/kind.ts';

export const scaleVersion: KindVersion = {
  name: 'v1',
  served: true,
  storage: true,
  status: false,
  columns: [
    { name: 'Desired', type: 'integer', jsonPath: '.spec.replicas', description: 'How many there should be.' },
    { name: 'Available', type: 'integer', jsonPath: '.status.replicas', description: 'How many there are.' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Time since the creation.' },
  ],
  schema: {
    type: 'object',
    description: 'How many replicas there are, and should be.',
    properties: {
      apiVersion: { type: 'string', description: 'autoscaling/v1.' },
      kind: { type: 'string', description: 'Scale.' },
      metadata: { type: 'object', description: 'Metadata of the object that is scaled.' },
      spec: {
        type: 'object',
        description: 'What is wanted.',
        properties: { replicas: { type: 'integer', format: 'int32', description: 'How many there should be.' } },
      },
      status: {
        type: 'object',
        description: 'What is there.',
        required: ['replicas'],
        properties: {
          replicas: { type: 'integer', format: 'int32', description: 'How many there are.' },
          selector: { type: 'string', description: 'Labels of the objects that are counted.' },
        },
      },
    },
  },
};

/** Scale as a kind of its own, namespaced like the scaled resource. */
export const scaleKind = (namespaced: boolean): KindDefinition => ({
  group: 'autoscaling',
  kind: 'Scale',
  plural: 'scales',
  singular: 'scale',
  shortNames: [],
  categories: [],
  namespaced,
  custom: false,
  versions: [scaleVersion],
});
