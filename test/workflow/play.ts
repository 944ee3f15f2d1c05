/** Plays a story in the interpreter. */
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import type { Running } from '../../local/workflow/execution.ts';
import { createWorkflows } from '../../local/workflow/index.ts';
import type { JsonValue } from '../../machinery/api/object.ts';
import { endText, giveAnswer, omittedStates, operation, type Payload, stateText, taskText, turnsOf } from './story.ts';

/** The actual course of a story in the same notation; it ends where it deviates. */
export const play = async (definition: object, story: string): Promise<string> => {
  const turns = turnsOf(story);
  const clock = virtualClock(Date.UTC(2026, 0, 1));
  const table = memoryTable({ clock });
  const course: string[] = [];
  const ends: string[] = [];
  let last = clock.now();
  let isElsewhere = false;
  let turn = 0;

  const invoke = async (sent: JsonValue) => {
    const payload = sent as unknown as Payload;
    const { task, token } = payload;
    const seconds = (clock.now() - last) / 1000;
    last = clock.now();
    if (seconds > 0) course.push(`+${seconds}`);
    const { task: expected, answer } = turns[turn++] ?? {};
    course.push(taskText(payload, answer));
    if (task === expected && answer && typeof token === 'string') return giveAnswer(workflows, token, answer);
    isElsewhere = true;
  };
  const workflows = createWorkflows({
    table: {
      ...table,
      write: async (write) => {
        const item = await table.write(write);
        const { state, stateInput, position } = JSON.parse(String(item?.body)) as Running;
        if (position.at === 'enter' && omittedStates.has(state)) course.push(stateText(state, stateInput));
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
    log: { info: () => {}, error: (message) => course.push(`<${message}>`) },
  });
  await workflows.start({ definition: 'played', name: 'play', input: { operation } });
  await clock.run(() => isElsewhere || ends.length > 0);
  workflows.suspend();
  if (isElsewhere) return course.join(' ');

  const [execution] = await workflows.list();
  return [...course, endText(execution!)].join(' ');
};
