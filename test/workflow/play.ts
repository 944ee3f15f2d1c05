/** Plays a story in the interpreter. */
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import type { Running } from '../../local/workflow/execution.ts';
import { createWorkflows } from '../../local/workflow/index.ts';
import type { JsonValue } from '../../machinery/api/object.ts';
import { giveAnswer, operation, type Payload, toldEnd, toldState, toldTask, turnsOf, untold } from './story.ts';

/** The actual course of a story in the same notation; it ends where it deviates. */
export const play = async (definition: object, story: string): Promise<string> => {
  const turns = turnsOf(story);
  const clock = virtualClock(Date.UTC(2026, 0, 1));
  const table = memoryTable({ clock });
  const told: string[] = [];
  const ends: string[] = [];
  let last = clock.now();
  let isElsewhere = false;
  let turn = 0;

  const invoke = async (sent: JsonValue) => {
    const payload = sent as unknown as Payload;
    const { task, token } = payload;
    const seconds = (clock.now() - last) / 1000;
    last = clock.now();
    if (seconds > 0) told.push(`+${seconds}`);
    const { task: expected, answer } = turns[turn++] ?? {};
    told.push(toldTask(payload, answer));
    if (task === expected && answer && typeof token === 'string') return giveAnswer(workflows, token, answer);
    isElsewhere = true;
  };
  const workflows = createWorkflows({
    table: {
      ...table,
      write: async (write) => {
        const item = await table.write(write);
        const { state, stateInput, position } = JSON.parse(String(item?.body)) as Running;
        if (position.at === 'enter' && untold.has(state)) told.push(toldState(state, stateInput));
        return item;
      },
    },
    clock,
    random: seededRandom(1),
    definitions: { played: definition },
    substitutions: { Operate: 'operate' },
    invoke,
    onEnd: async ({ status }) => {
      ends.push(status);
    },
    log: { info: () => {}, error: (message) => told.push(`<${message}>`) },
  });
  await workflows.start({ definition: 'played', name: 'play', input: { operation } });
  await clock.run(() => isElsewhere || ends.length > 0);
  workflows.suspend();
  if (isElsewhere) return told.join(' ');

  const [execution] = await workflows.list();
  return [...told, toldEnd(execution!)].join(' ');
};
