// What may be said, and how likely each is: a line and a bar each.
import type { Choice } from "./trace";
import { percent } from "./ui";
import { plain } from "./words";

export function Distribution(props: { choices: Choice[]; said?: string; label: string; most?: number }) {
  const { choices, said, label, most = 10 } = props;
  return (
    <table class="weights distribution" aria-label={label}>
      <tbody>
        {choices.slice(0, most).map(({ text, probability }) => (
          <tr key={text} class={text === said ? "said" : ""}>
            <th scope="row">{plain(text)}</th>
            <td data-choice={plain(text)}>{percent(probability, 1)}</td>
            <td class="bar" aria-hidden="true">
              <svg width="100%" height="12">
                <rect width={`${100 * Math.min(1, Math.max(0, probability))}%`} height="12" rx="3" />
              </svg>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
