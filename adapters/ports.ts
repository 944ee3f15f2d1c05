/** The kinds' ports in the form that the loop calls. */
import type { Pki, PkiReads } from '../kinds/ports/pki.ts';
import type { WorkflowsEffects, WorkflowsReads } from '../kinds/ports/workflows.ts';
import type { Workload, WorkloadEffects, WorkloadReads } from '../kinds/ports/workload.ts';
import type { JsonValue } from '../machinery/api/object.ts';
import type { Port } from '../machinery/controller/index.ts';
import { once } from '../machinery/once.ts';
import type { Workflows } from '../machinery/ports.ts';

export const workloadPort = (workload: Workload): Required<Port> => ({
  read: (operation, input) =>
    workload.read(operation as keyof WorkloadReads, input as WorkloadReads[keyof WorkloadReads][0]),
  call: (operation, input) =>
    workload.effect(operation as keyof WorkloadEffects, input as WorkloadEffects[keyof WorkloadEffects]),
});

export const pkiPort = (pki: Pki): Port => ({
  read: (operation, input) => pki.read(operation as keyof PkiReads, input as PkiReads[keyof PkiReads][0]),
});

/** The Workflows port in the form that the loop calls. */
export const workflowsPort = (workflows: Pick<Workflows, 'start' | 'stop' | 'describe'>): Port => ({
  read: async (operation, input) => {
    if (operation !== 'DescribeExecution') throw new Error(`workflows cannot be asked for ${operation}`);
    return workflows.describe(input as WorkflowsReads['DescribeExecution'][0]);
  },
  call: (operation, input: JsonValue) => {
    switch (operation as keyof WorkflowsEffects) {
      case 'StartExecution':
        return workflows.start(input as WorkflowsEffects['StartExecution']);
      case 'StopExecution':
        return workflows.stop(input as WorkflowsEffects['StopExecution']);
      default:
        throw new Error(`workflows cannot be asked to ${operation}`);
    }
  },
});

/** A port that is created on its first use, so that its modules are loaded on demand. */
export const lazyPort = (make: () => Promise<Port>): Required<Port> => {
  const port = once(make);
  return {
    read: async (operation, input) => {
      const { read } = await port();
      if (!read) throw new Error(`this port cannot be asked for ${operation}`);
      return read(operation, input);
    },
    call: async (operation, input) => {
      const { call } = await port();
      if (!call) throw new Error(`this port cannot be asked to ${operation}`);
      return call(operation, input);
    },
  };
};
