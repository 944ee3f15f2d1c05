/** An operation says of its parts what is so: none that is done waits for anything, and none of one that is over goes on. */
import type { ClusterOperation } from '../../../kinds/operations/cluster-operation/index.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const rule = 'concluded';
/** Somebody sees to it that these come to an end in time. */
const driven = new Set(['Pending', 'Running']);

export const concluded = (_: Setting): Invariant => {
  const expectSo = ({ metadata, status }: ClusterOperation) => {
    const fail = (what: string) => {
      throw new Violation(rule, `${metadata.name} is ${phase}, and ${what}`);
    };
    const { phase = 'Pending', deadline, ended, steps = [] } = status ?? {};
    if (deadline !== undefined && !driven.has(phase)) fail(`has until ${deadline}`);
    for (const { name, verdict, message, ended: end } of steps) {
      if (verdict === 'Succeeded' && message !== undefined) fail(`${name}, which is done, says ${message}`);
      if ((verdict === 'Running') === (end !== undefined)) fail(`${name} is ${verdict}, and over since ${end}`);
      if (verdict === 'Running' && ended !== undefined) fail(`${name} goes on`);
    }
  };
  return {
    onCommit: ({ object }) => {
      if (object?.kind === 'ClusterOperation') expectSo(object as ClusterOperation);
    },
  };
};
