/** The way of a report from an API server to the audit webhook: the Internet and API Gateway, with their faults. */
import { pushPath } from '../../../kinds/core/contract/push/configuration.ts';
import { type Clock, sleep } from '../../../machinery/ports.ts';
import type { GuestServices } from '../../../simulation/ports.ts';
import type { Faults } from '../faults/index.ts';
import type { Story } from '../story.ts';

const minute = 60_000;

export const reportSettings = { url: `https://site.example${pushPath}` };

export interface ReportsOptions {
  clock: Clock;
  faults: Faults;
  story: Story;
  /** Invokes the function. */
  invoke: (request: Request) => Promise<Response>;
}

export interface Reports {
  post: NonNullable<GuestServices['post']>;
  /** Whether no report is under way. */
  readonly isIdle: boolean;
}

export const createReports = ({ clock, faults, story, invoke }: ReportsOptions): Reports => {
  let underWay = 0;
  /** A function that fails or does not answer is a gateway error. */
  const deliver = async (url: string, { token, body }: { token: string; body: string }): Promise<number> => {
    underWay += 1;
    try {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      return (await invoke(new Request(url, { method: 'POST', headers, body }))).status;
    } catch {
      return 502;
    } finally {
      underWay -= 1;
    }
  };
  const deliverLater = async (...report: Parameters<typeof deliver>): Promise<number> => {
    underWay += 1;
    await sleep(clock, faults.dice('report.late').spread(1, 5 * minute));
    underWay -= 1;
    return deliver(...report);
  };
  return {
    post: async (url, sent) => {
      if (faults.strikes('report.refused', url)) return 429;
      if (faults.strikes('report.lost', url)) {
        story.tell('report lost', url);
        return 200;
      }
      if (faults.strikes('report.duplicated', url)) void deliverLater(url, sent);
      return faults.strikes('report.late', url) ? deliverLater(url, sent) : deliver(url, sent);
    },
    get isIdle() {
      return underWay === 0;
    },
  };
};
