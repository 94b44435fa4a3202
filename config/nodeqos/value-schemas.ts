import { z } from 'zod';
import { parseDuration } from '../numbers/duration.ts';
import { percentNumber } from '../numbers/percent.ts';
import { parseQuantity, quantityToInteger } from '../numbers/quantity.ts';
import type { Taint } from '../taints/taint.ts';
import { parseTaintAddition } from '../taints/taint-spec.ts';

/** A duration in Go's grammar, as milliseconds; `longest` itself is allowed, and `text` is what people call it. */
export function duration(
  lowest: 'zero-allowed' | 'above-zero',
  longest?: { readonly ms: number; readonly text: string },
): z.ZodType<number, string> {
  return z.string().transform((text, context): number => {
    const parsed = parseDuration(text);
    if (!parsed.ok) {
      return refuse(context, parsed.message);
    }
    if (parsed.value < 0 || (parsed.value === 0 && lowest === 'above-zero')) {
      return refuse(
        context,
        `${text} is too short; write a duration ${lowest === 'above-zero' ? 'above 0s' : 'of 0s or more'}`,
      );
    }
    if (longest !== undefined && parsed.value > longest.ms) {
      return refuse(context, `${text} is too long; write a duration of at most ${longest.text}`);
    }
    return parsed.value;
  });
}

/** A size in bytes above 0, as a quantity or a whole number. */
export function size(): z.ZodType<bigint, string | number> {
  return z.union([z.string(), z.int()]).transform((value, context): bigint => {
    const parsed = parseQuantity(String(value));
    if (!parsed.ok) {
      return refuse(context, parsed.message);
    }
    const bytes = quantityToInteger(parsed.value);
    return bytes > 0n ? bytes : refuse(context, `${value} is no size; write one above 0, such as 64Mi`);
  });
}

/** A percentage from 0% to below 100%, as a share: 0.1 is 10%. */
export function shareBelowOne(): z.ZodType<number, string> {
  return z.string().transform((text, context): number => {
    const parsed = percentNumber(text);
    if (!parsed.ok) {
      return refuse(context, parsed.message);
    }
    return parsed.value >= 0 && parsed.value < 100
      ? parsed.value / 100
      : refuse(context, `${text} is out of range; write 0% or more and less than 100%`);
  });
}

/** A taint that evicts, the way `kubectl taint` adds one: key=value:NoExecute or key:NoExecute. */
export function noExecuteTaint(): z.ZodType<Taint, string> {
  return z.string().transform((text, context): Taint => {
    const taint = parseTaintAddition(text);
    if (!taint.ok) return refuse(context, taint.message);
    return taint.value.effect === 'NoExecute'
      ? taint.value
      : refuse(context, `${text} evicts nobody; only NoExecute does, so write that or remove it`);
  });
}

/** A text of a form that a regular expression tells; `forms` says it to a person. */
export function textOf(form: RegExp, forms: string): z.ZodString {
  return z.string().regex(form, { error: `is not one of the forms that are known here; write ${forms}` });
}

function refuse(context: z.core.$RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}
