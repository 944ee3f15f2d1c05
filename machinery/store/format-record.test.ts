import { describe, expect, it } from 'vitest';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { storedFormat, unrecordedFormat } from './format.ts';
import { lowerFormat, recordFormat, underFormat } from './format-record.ts';

const newer = storedFormat + 1;
const item = { pk: 'o#things', sk: 'a', kept: true };
const consistent = { consistent: true };

const setUp = async (recorded?: number) => {
  const clock = virtualClock(0);
  const inner = memoryTable({ clock });
  await inner.write({ put: item });
  if (recorded !== undefined) await recordFormat(inner, recorded);
  const process = () => underFormat(inner, clock);
  return { clock, inner, process, ...process() };
};

describe('a table of a newer format', () => {
  it('is neither read nor written, and the refusal names both formats and what to do', async () => {
    const { table, format, inner } = await setUp(newer);
    const says = `it reads stored format ${storedFormat}, and the tables have format ${newer}: deploy the version that ran`;
    const calls = [
      table.get(item, consistent),
      table.query({ pk: item.pk, ...consistent }),
      table.write({ put: { ...item, kept: false } }),
      table.transact('token', [{ put: { ...item, kept: false } }]),
      format(),
    ];
    for (const call of calls) await expect(call).rejects.toThrow(says);
    expect(await inner.get(item, consistent)).toMatchObject({ kept: true });
  });

  it('is used again once the format was taken back', async () => {
    const { table, inner } = await setUp(newer);
    await expect(table.get(item, consistent)).rejects.toThrow();
    await lowerFormat(inner, storedFormat);
    expect(await table.get(item, consistent)).toMatchObject({ kept: true });
  });
});

describe('the format that is written', () => {
  it('is the former one until the new one is recorded, and is seen within a minute', async () => {
    const { clock, inner, format } = await setUp();
    expect(await format()).toBe(unrecordedFormat);
    await recordFormat(inner, storedFormat);
    await clock.advance(60_000);
    expect(await format()).toBe(storedFormat);
  });

  it.each([
    { recorded: storedFormat, to: unrecordedFormat, is: unrecordedFormat },
    { recorded: unrecordedFormat, to: storedFormat, is: unrecordedFormat },
  ])('is lowered from $recorded to $to as $is, and never raised', async ({ recorded, to, is }) => {
    const { inner, process } = await setUp(recorded);
    await lowerFormat(inner, to);
    expect(await process().format()).toBe(is);
  });

  it('costs a process one read before its first call', async () => {
    const { clock, inner } = await setUp(storedFormat);
    let reads = 0;
    const get: typeof inner.get = (...given) => {
      reads++;
      return inner.get(...given);
    };
    const { table } = underFormat({ ...inner, get }, clock);
    await table.get(item, consistent);
    expect(reads).toBe(2);
    for (let n = 0; n < 5; n++) await table.get(item, consistent);
    expect(reads).toBe(7);
  });
});
