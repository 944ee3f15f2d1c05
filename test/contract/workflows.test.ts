import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { createWorkflows } from '../../local/workflow/index.ts';
import {
  contractDefinition,
  contractDefinitionName,
  type Invocation,
  type WorkflowsUnderTest,
  workflowsContract,
} from './workflows.contract.ts';

const seconds = 1000;

workflowsContract('the interpreter', async (): Promise<WorkflowsUnderTest> => {
  const clock = virtualClock(Date.UTC(2026, 0, 1));
  const invoked: Invocation[] = [];
  const workflows = createWorkflows({
    table: memoryTable({ clock }),
    clock,
    random: seededRandom(1),
    definitions: { [contractDefinitionName]: contractDefinition },
    substitutions: { Operate: 'operate' },
    invoke: async (payload) => void invoked.push(payload as unknown as Invocation),
    onEnd: async () => {},
    log: { info: () => {}, error: () => {} },
  });
  const until = async <T>(read: () => Promise<T | undefined>): Promise<T> => {
    for (let turn = 0; turn < 60; turn++) {
      const value = await read();
      if (value !== undefined) return value;
      await clock.advance(seconds);
    }
    throw new Error('nothing happened for a minute');
  };
  return {
    workflows,
    until,
    invocation: () => until(async () => invoked.shift()),
    isInvoked: async () => {
      await clock.advance(5 * seconds);
      return invoked.length > 0;
    },
    close: async () => workflows.suspend(),
  };
});
