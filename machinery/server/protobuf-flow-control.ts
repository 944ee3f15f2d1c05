/** Messages of the kinds of flow control. */
import {
  integer,
  message,
  messages,
  metadata,
  optionalBoolean,
  optionalInteger,
  type ProtoField,
  type ProtoMessage,
  string,
  strings,
  time,
} from './protobuf-fields.ts';

const condition: ProtoMessage = {
  1: string('type'),
  2: string('status'),
  3: time('lastTransitionTime'),
  4: string('reason'),
  5: string('message'),
};
const status: ProtoField = message('status', () => ({ 1: messages('conditions', () => condition) }));

const named: ProtoMessage = { 1: string('name') };
const subject: ProtoMessage = {
  1: string('kind'),
  2: message('user', () => named),
  3: message('group', () => named),
  4: message('serviceAccount', () => ({ 1: string('namespace'), 2: string('name') })),
};
const resourceRule: ProtoMessage = {
  1: strings('verbs'),
  2: strings('apiGroups'),
  3: strings('resources'),
  4: optionalBoolean('clusterScope'),
  5: strings('namespaces'),
};
const rule: ProtoMessage = {
  1: messages('subjects', () => subject),
  2: messages('resourceRules', () => resourceRule),
  3: messages('nonResourceRules', () => ({ 1: strings('verbs'), 6: strings('nonResourceURLs') })),
};
const flowSchema: ProtoMessage = {
  1: metadata,
  2: message('spec', () => ({
    1: message('priorityLevelConfiguration', () => named),
    2: integer('matchingPrecedence'),
    3: message('distinguisherMethod', () => ({ 1: string('type') })),
    4: messages('rules', () => rule),
  })),
  3: status,
};

const queuing: ProtoMessage = { 1: integer('queues'), 2: integer('handSize'), 3: integer('queueLengthLimit') };
const limited: ProtoMessage = {
  1: optionalInteger('nominalConcurrencyShares'),
  2: message('limitResponse', () => ({ 1: string('type'), 2: message('queuing', () => queuing) })),
  3: optionalInteger('lendablePercent'),
  4: optionalInteger('borrowingLimitPercent'),
};
const priorityLevel: ProtoMessage = {
  1: metadata,
  2: message('spec', () => ({
    1: string('type'),
    2: message('limited', () => limited),
    3: message('exempt', () => ({
      1: optionalInteger('nominalConcurrencyShares'),
      2: optionalInteger('lendablePercent'),
    })),
  })),
  3: status,
};

/** By kind. */
export const flowControlMessages: Readonly<Record<string, ProtoMessage>> = {
  'flowcontrol.apiserver.k8s.io/v1/FlowSchema': flowSchema,
  'flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration': priorityLevel,
};
