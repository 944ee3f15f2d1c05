/** What CloudFormation would report about the templates before it creates anything, according to its linter. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'capstan-templates-'));
const administrators = 'arn:aws:iam::111122223333:user/me';

beforeAll(async () => {
  const environment = {
    ...process.env,
    CDK_OUTDIR: folder,
    CDK_CONTEXT_JSON: JSON.stringify({ administrators }),
  };
  await run(process.execPath, ['cdk/app.ts'], { cwd: root, env: environment });
});
afterAll(() => rmSync(folder, { recursive: true }));

it('cfn-lint reports nothing', () => {
  const templates = readdirSync(folder).filter((name) => name.endsWith('.template.json'));
  expect(templates.length).toBe(2);
  // W3005: a redundant dependency; the CDK writes both.
  const args = ['--ignore-checks', 'W3005', '--', ...templates.map((name) => join(folder, name))];
  const { status, stdout, stderr } = spawnSync(inject('programs').cfnLint, args, { encoding: 'utf8' });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
});
