import { forbidden, invalid, notSupported, required } from '../../../machinery/api/faults.ts';
import type { FieldError, KindDefinition } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Infer, int32, required as mustHave, object, string } from '../../../machinery/api/schema.ts';
import { age, defineBuiltIn } from '../built-in.ts';
import { noEffect, status, statusFaults, withoutEffect } from '../flow-control/status.ts';
import { priorityLevelConfiguration as facts } from './kind.ts';

const shares = int32('The share of the places of the server.');
const lendable = int32('How much of it other levels may use, in percent.');

const queuing = object('Its queues.', {
  queues: int32('How many there are.'),
  handSize: int32('Among how many of them a flow chooses.'),
  queueLengthLimit: int32('How many requests wait in one.'),
});
const limitResponse = object('What happens to requests beyond the limit.', {
  type: mustHave(string('Queue or Reject.')),
  queuing,
});
const limited = object('The limit of requests at the same time.', {
  nominalConcurrencyShares: shares,
  limitResponse,
  lendablePercent: lendable,
  borrowingLimitPercent: int32('How much more it may use of others, in percent.'),
});
const spec = object('How many requests of the level are carried out at the same time.', {
  type: mustHave(string('Exempt or Limited.')),
  limited,
  exempt: object('Settings of the level without a limit.', {
    nominalConcurrencyShares: shares,
    lendablePercent: lendable,
  }),
});

type Limited = Infer<typeof limited>;
type Queuing = Infer<typeof queuing>;
type PriorityLevel = KubeObject<Infer<typeof spec>>;

const defaultQueuing = { handSize: 8, queues: 64, queueLengthLimit: 50 };
const defaultShares = 30;

/** Zero counts as absent. */
const queuingDefaults = ({ handSize, queues, queueLengthLimit, ...rest }: Queuing): Queuing => ({
  ...rest,
  handSize: handSize || defaultQueuing.handSize,
  queues: queues || defaultQueuing.queues,
  queueLengthLimit: queueLengthLimit || defaultQueuing.queueLengthLimit,
});

const limitedDefaults = (given: Limited): Limited => ({
  nominalConcurrencyShares: defaultShares,
  lendablePercent: 0,
  ...given,
  ...(given.limitResponse?.queuing && {
    limitResponse: { ...given.limitResponse, queuing: queuingDefaults(given.limitResponse.queuing) },
  }),
});

const withDefaults = (object: KubeObject): KubeObject => {
  const { spec: given } = object as PriorityLevel;
  return withoutEffect({
    ...object,
    spec: {
      ...given,
      ...(given?.limited && { limited: limitedDefaults(given.limited) }),
      ...(given?.exempt && { exempt: { nominalConcurrencyShares: 0, lendablePercent: 0, ...given.exempt } }),
    },
  });
};

const mostQueues = 10_000_000;
const mostHashBits = 60;

/** How many bits of a hash choose a hand of queues. */
const bitsOfHand = (queues: number, handSize: number): number => {
  let hands = 1;
  for (let i = 0; i < handSize && hands < Number.MAX_VALUE; i++) hands *= queues - i;
  return Math.ceil(Math.log2(hands));
};

const handFaults = (field: string, handSize: number, queues: number): FieldError[] => {
  if (handSize <= 0) return [invalid(field, handSize, 'must be positive')];
  if (handSize > queues) return [invalid(field, handSize, `should not be greater than queues (${queues})`)];
  const detail = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${mostHashBits}`;
  return bitsOfHand(queues, handSize) > mostHashBits ? [invalid(field, handSize, detail)] : [];
};

const queuingFaults = (field: string, { queues = 0, handSize = 0, queueLengthLimit = 0 }: Queuing): FieldError[] => [
  ...(queueLengthLimit <= 0 ? [invalid(`${field}.queueLengthLimit`, queueLengthLimit, 'must be positive')] : []),
  ...(queues <= 0 ? [invalid(`${field}.queues`, queues, 'must be positive')] : []),
  ...(queues > mostQueues ? [invalid(`${field}.queues`, queues, `must not be greater than ${mostQueues}`)] : []),
  ...handFaults(`${field}.handSize`, handSize, queues),
];

const responseFaults = (field: string, response: Limited['limitResponse']): FieldError[] => {
  const { type = '', queuing: queues } = response ?? {};
  if (type === '') return [required(`${field}.type`)];
  if (type === 'Reject')
    return queues ? [forbidden(`${field}.queuing`, 'must be nil if limited.limitResponse.type is not Limited')] : [];
  if (type !== 'Queue') return [notSupported(`${field}.type`, type, ['Queue', 'Reject'])];
  return queues
    ? queuingFaults(`${field}.queuing`, queues)
    : [required(`${field}.queuing`, 'must not be empty if limited.limitResponse.type is Limited')];
};

const lendableFaults = (field: string, percent = 0): FieldError[] =>
  percent < 0 || percent > 100
    ? [invalid(`${field}.lendablePercent`, percent, 'must be between 0 and 100, inclusive')]
    : [];

const sharesFaults = (field: string, count = 0): FieldError[] =>
  count < 0 ? [invalid(`${field}.nominalConcurrencyShares`, count, 'must be a non-negative integer')] : [];

const limitedFaults = (field: string, given: Limited): FieldError[] => {
  const { borrowingLimitPercent: borrowed = 0 } = given;
  return [
    ...sharesFaults(field, given.nominalConcurrencyShares),
    ...responseFaults(`${field}.limitResponse`, given.limitResponse),
    ...lendableFaults(field, given.lendablePercent),
    ...(borrowed < 0
      ? [invalid(`${field}.borrowingLimitPercent`, borrowed, 'if specified, must be a non-negative integer')]
      : []),
  ];
};

const typeFaults = ({ type, limited: limits, exempt }: NonNullable<PriorityLevel['spec']>): FieldError[] => {
  switch (type) {
    case 'Exempt':
      return [
        ...(limits ? [forbidden('spec.limited', 'must be nil if the type is not Limited')] : []),
        ...sharesFaults('spec.exempt', exempt?.nominalConcurrencyShares),
        ...lendableFaults('spec.exempt', exempt?.lendablePercent),
      ];
    case 'Limited':
      return [
        ...(exempt ? [forbidden('spec.exempt', 'must be nil if the type is Limited')] : []),
        ...(limits
          ? limitedFaults('spec.limited', limits)
          : [required('spec.limited', 'must not be empty when type is Limited')]),
      ];
    default:
      return type ? [notSupported('spec.type', type, ['Exempt', 'Limited'])] : [required('spec.type')];
  }
};

const validate: KindDefinition['validate'] = (object, { operation, subresource }) => {
  if (operation === 'delete') return [];
  if (subresource === 'status') return statusFaults(object);
  const { metadata, spec: given } = object as PriorityLevel;
  const type = given?.type ?? '';
  return [
    ...((metadata.name === 'exempt') === (type === 'Exempt')
      ? []
      : [invalid('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'")]),
    ...typeFaults(given ?? { type }),
    ...statusFaults(object),
  ];
};

const ofQueues = (name: string, field: keyof Queuing, description: string) => ({
  name,
  type: 'string' as const,
  value: (object: KubeObject) => (object as PriorityLevel).spec?.limited?.limitResponse?.queuing?.[field] ?? '<none>',
  description,
});

export const priorityLevelConfiguration = defineBuiltIn({
  ...facts,
  generations: true,
  default: withDefaults,
  validate,
  warn: (_, { subresource }) => (subresource ? [] : [noEffect]),
  version: {
    description: 'Says how many requests of a priority level are carried out at the same time.',
    fields: { spec, status },
    status: true,
    columns: [
      { name: 'Type', type: 'string', jsonPath: '.spec.type', description: 'Exempt or Limited.' },
      {
        name: 'NominalConcurrencyShares',
        type: 'string',
        value: (object) => (object as PriorityLevel).spec?.limited?.nominalConcurrencyShares ?? '<none>',
        description: 'Its share of the places of the server.',
      },
      ofQueues('Queues', 'queues', 'How many queues it has.'),
      ofQueues('HandSize', 'handSize', 'Among how many queues a flow chooses.'),
      ofQueues('QueueLengthLimit', 'queueLengthLimit', 'How many requests wait in a queue.'),
      age,
    ],
  },
});
