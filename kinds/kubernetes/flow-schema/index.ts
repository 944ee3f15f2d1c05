import type { KubeObject } from '../../../machinery/api/object.ts';
import { age, defineBuiltIn } from '../built-in.ts';
import { conditionsOf, noEffect, status, withoutEffect } from '../flow-control/status.ts';
import { flowSchema as facts } from './kind.ts';
import { type FlowSchema, spec } from './schema.ts';
import { validate } from './validate.ts';

const defaultPrecedence = 1000;

const withDefaults = (object: KubeObject): KubeObject => {
  const { spec: given } = object as FlowSchema;
  const matchingPrecedence = given?.matchingPrecedence || defaultPrecedence;
  return withoutEffect({ ...object, spec: { ...given, matchingPrecedence } });
};

export const flowSchema = defineBuiltIn({
  ...facts,
  generations: true,
  default: withDefaults,
  validate,
  warn: (_, { subresource }) => (subresource ? [] : [noEffect]),
  version: {
    description: 'Says which requests are a flow, and at which priority level they queue.',
    fields: { spec, status },
    status: true,
    columns: [
      {
        name: 'PriorityLevel',
        type: 'string',
        jsonPath: '.spec.priorityLevelConfiguration.name',
        description: 'The priority level of its requests.',
      },
      {
        name: 'MatchingPrecedence',
        type: 'string',
        jsonPath: '.spec.matchingPrecedence',
        description: 'Where several schemas match, the lowest one counts.',
      },
      {
        name: 'DistinguisherMethod',
        type: 'string',
        value: (object) => (object as FlowSchema).spec?.distinguisherMethod?.type ?? '<none>',
        description: 'What makes a flow of its own.',
      },
      age,
      {
        name: 'MissingPL',
        type: 'string',
        value: (object) => conditionsOf(object).find(({ type }) => type === 'Dangling')?.status ?? '?',
        description: 'Whether its priority level does not exist.',
      },
    ],
  },
});
