/** In the end what is told is of the newest generation, and each machine is where it was to be. */

import type { Machine } from '../../../kinds/core/machine/index.ts';
import type { AWSMachine } from '../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { Condition, KubeObject } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const rule = 'told in the end';

const expectNewest = ({ kind, metadata, status }: KubeObject) => {
  const { observedGeneration, conditions = [] } = (status ?? {}) as {
    observedGeneration?: number;
    conditions?: Condition[];
  };
  const all = [observedGeneration, ...conditions.map((one) => one.observedGeneration)];
  const told = all.filter((one) => one !== undefined);
  const least = Math.min(...told);
  if (told.length > 0 && least < (metadata.generation ?? 0))
    throw new Violation(rule, `${kind} ${metadata.name} tells of generation ${least} of ${metadata.generation}`);
};

export const newest = ({ world, isRuined = () => false }: Setting): Invariant => {
  const { mirror, account } = world;
  const expectPlace = ({ metadata, spec }: Machine) => {
    const { namespace = '', name } = metadata;
    const host = mirror.get<AWSMachine>('AWSMachine', namespace, spec?.infrastructureRef?.name ?? '');
    const instance = account.list().find(({ id }) => id === host?.spec?.instanceID);
    if (spec?.failureDomain && instance?.zone !== spec.failureDomain)
      throw new Violation(rule, `${name} is in ${instance?.zone}, not in ${spec.failureDomain}`);
  };
  return {
    atEnd: () => {
      if (isRuined()) return;
      for (const object of mirror.everything()) expectNewest(object);
      for (const machine of mirror.all<Machine>('Machine')) expectPlace(machine);
    },
  };
};
