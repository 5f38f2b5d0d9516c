import { ScrollRegion, TableHead } from "@vouch/views";
import type { ShownModel } from "../page-data.js";

/** Shows the state of a model's monitor and the drifted columns. */
export function MonitorPanel({ monitor: { sentence, columns } }: Pick<ShownModel, "monitor">) {
  return (
    <>
      <p>{sentence}</p>
      {columns.length > 0 && (
        <ScrollRegion label="Columns that have drifted">
          <table>
            <TableHead first="column" numbers={["drift", "p"]} />
            <tbody>
              {columns.map(({ name, drift, p }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td class="number">{drift.toPrecision(3)}</td>
                  <td class="number">{p.toPrecision(2)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
    </>
  );
}
