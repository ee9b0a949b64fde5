package dev.outboxlog.bench;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGraphics2D;
import org.knowm.xchart.CategoryChart;

/** Writes a chart as SVG, with its text as text. */
final class Svg {

    private static final String NAMESPACE = "http://www.w3.org/2000/svg";

    private Svg() {}

    static void write(CategoryChart chart, Path file) throws IOException {
        SVGGraphics2D graphics = new SVGGraphics2D(document());
        chart.paint(graphics, chart.getWidth(), chart.getHeight());
        graphics.setSVGCanvasSize(new java.awt.Dimension(chart.getWidth(), chart.getHeight()));
        try (Writer out = Files.newBufferedWriter(file)) {
            graphics.stream(out, true);
        }
    }

    private static org.w3c.dom.Document document() {
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .getDOMImplementation()
                    .createDocument(NAMESPACE, "svg", null);
        } catch (ParserConfigurationException e) {
            throw new IllegalStateException("this Java cannot make XML documents", e);
        }
    }
}
