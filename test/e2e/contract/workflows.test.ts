import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { stepFunctions } from '../../../adapters/aws/workflows/step-functions.ts';
import {
  contractDefinition,
  contractDefinitionName,
  type Invocation,
  type WorkflowsUnderTest,
  workflowsContract,
} from '../../contract/workflows.contract.ts';
import { miniStackWorkflows } from './deviations.ts';
import { isMiniStack } from './endpoint.ts';
import { type Operate, openOperate } from './operate.fixture.ts';

let operate: Operate;
let arn: string;
beforeAll(async () => {
  operate = await openOperate();
  arn = await operate.stateMachine('contract', contractDefinition);
});
afterAll(() => operate?.close());

const timeout = 30;

const open = async (): Promise<WorkflowsUnderTest> => {
  const invoked: Invocation[] = [];
  const receive = async (seconds: number) => void invoked.push(...((await operate.received(seconds)) as Invocation[]));
  return {
    workflows: stepFunctions({ client: operate.sfn, arns: { [contractDefinitionName]: arn } }),
    invocation: async () => {
      for (let tries = 0; invoked.length === 0 && tries < timeout; tries++) await receive(1);
      const [next] = invoked.splice(0, 1);
      if (!next) throw new Error('no task was invoked');
      return next;
    },
    isInvoked: async () => {
      await receive(3);
      return invoked.length > 0;
    },
    until: async (read) => {
      for (let tries = 0; tries < 10 * timeout; tries++) {
        const value = await read();
        if (value !== undefined) return value;
        await delay(100);
      }
      throw new Error('nothing happened');
    },
    close: async () => {},
  };
};

workflowsContract('Step Functions', open, (await isMiniStack('SFN')) ? miniStackWorkflows : {});
